/* License. */
#include <stdio.h>

#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct node node_t;

/* A list. */
struct node {
  int value;
  struct node *next;
};

enum color { RED, GREEN };

static int count = 0;

int push(node_t *list, int value);

/* Adds a value. */
int push(node_t *list, int value) {
  return list->value + value;
}

static char *name_of(enum color color) {
  return 0;
}

enum color { COLOR_RED, COLOR_GREEN = 2 };
struct pixel { int x, *row; void (*draw)(struct pixel *); };
extern const char *const color_names[];
static int next_pixel;
SYSCALL_DEFINE3(open, const char *, path, int, flags, int, mode)
{
	int local;
	return local;
}
static DECLARE_LIST(pending);
