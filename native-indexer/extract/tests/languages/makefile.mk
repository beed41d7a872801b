CC := gcc

define banner
hello
endef

all: build test

build: main.c
	$(CC) -o main main.c

.PHONY: all
