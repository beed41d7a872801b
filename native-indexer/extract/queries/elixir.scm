(call
  target: (identifier) @_define
  (arguments (alias) @name)
  (#any-of? @_define "defmodule" "defprotocol" "defimpl")) @definition.module
(call
  target: (identifier) @_define
  (arguments
    [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")
    ])
  (#any-of? @_define "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")) @definition.function
(call
  target: (identifier) @_define
  (arguments
    [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
    ])
  (#any-of? @_define "defmacro" "defmacrop")) @definition.macro
