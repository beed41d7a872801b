#define LOCAL static
static int __init foo_init(void)
{
	DECLARE_THING(x)
	return 0;
}
MODULE_LICENSE("GPL")
module_init(foo_init);
static DEFINE_MUTEX(foo_lock);
DEFINE_PER_CPU(struct foo, foo_state) = { 0 };
DEFINE_IDA(foo_ida);
COMPAT_SYSCALL_DEFINE1(other_thing, int, fd)
{
	list_for_each_entry(a, b, c) {
		x();
	}
	FOR_EACH(a, b) { y(); }
}
JNIEXPORT jint JNICALL Java_org_x_Foo_bar(JNIEnv *env, jobject o) {
	return 1;
}
PyAPI_FUNC(PyObject *) PyThing_New(int a);
PyMODINIT_FUNC PyInit_thing(void) { return 0; }
BOOL WINAPI DllMain(HINSTANCE h, DWORD r, LPVOID p) { HANDLE x = 0; DWORD y; return TRUE; }
struct __packed header { int a; };
struct ALIGNED(8) wide { int b; };
G_BEGIN_DECLS
GLIB_AVAILABLE_IN_ALL
gboolean g_thing_do (GThing *thing) { return 1; }
G_END_DECLS
FILE *open_it(const char *name) { return 0; }
static INLINE const char *name_of(int a) NONNULL(1) { return ""; }
__printf(1, 2) void log_it(const char *f, ...) { }
PTR
xmalloc (size_t n)
{
  return 0;
}
BENCH(parse_speed) { run(); }
int last(void) { int a = MAX(1, 2); if (a) RETURN_ERR(a); LOCK UNLOCK return a; }
