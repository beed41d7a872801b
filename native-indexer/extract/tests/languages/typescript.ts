import type { Node } from './node';

/** What a store holds. */
export interface State<T> {
  value: T;
  get(key: string): T;
}

export type Listener = (state: State<unknown>) => void;

export enum Level {
  Low,
  High,
}

namespace inner {
  export const depth = 1;
}

export abstract class Store<T> implements State<T> {
  private handler = (event: Event): void => {};
  constructor(readonly value: T) {}
  abstract get(key: string): T;
  /** Tells whoever listens. */
  public async notify(listener: Listener): Promise<void> {}
}

export function create<T>(value: T): Store<T>;
export const identity = <T,>(value: T): T => value;
export * from './other';

export const { first, second: other, ...rest } = settings;
let counter: number;
export interface Options {
  timeout: number;
  retry?(times: number): void;
}
export enum Level { Low, High = 2 }
export class Client {
  static limit = 1;
  constructor(private readonly options: Options) {
    const { local } = options;
  }
}
