package org.example

import groovy.json.JsonSlurper

class Greeter {
    String name

    String greet(String who) {
        return "hello ${who}"
    }
}

def build(target) {
    println target
}
