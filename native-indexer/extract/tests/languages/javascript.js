'use strict';
const path = require('path');
import { a } from './a.js';

/** Most tries. */
export const LIMIT = 10;

class Queue extends Base {
  #items = [];
  onChange = () => this.notify();
  static of(items) {
    return new Queue(items);
  }
  async *drain() {
    yield 1;
  }
}

// Joins two.
function join(a, b) {
  return a + b;
}

const split = (text) => text.split(',');
app.render = function render(name) {
  return name;
};
module.exports = { start: function () {}, join };

class Cursor { at = 0; #end }
register(function onReady() {});
