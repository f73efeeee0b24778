// Types that describe a command: its actions, options, arguments and help texts.

import type { UsageError } from '#shared/operator-messages.ts';

/** An option: how it is parsed, and its lines in the help. */
export interface Option {
  type: 'string' | 'boolean';
  multiple?: true;
  required?: true;
  /** Placeholder for the option's value in the help: `DIR`. */
  value?: string;
  /** Pattern of valid values, and a name for them such as `a number of seconds`. */
  fits?: readonly [pattern: RegExp, what: string];
  text: string;
}
export type Options = Readonly<Record<string, Option>>;

/** An option without a value. */
export const flag = (description: string) => ({ type: 'boolean', text: description }) as const;

/** Describes an option with a value. In the help, `value` stands for it. */
export function option<const More extends Partial<Option> = object>(value: string, description: string, more?: More) {
  return { type: 'string', value, text: description, ...more } as {
    type: 'string';
    value: string;
    text: string;
  } & More;
}

/** The values of the options that were given. */
export type Values<Taken extends Options> = {
  [Name in keyof Taken]?:
    | (Taken[Name] extends { type: 'boolean' } ? boolean : Taken[Name] extends { multiple: true } ? string[] : string)
    | undefined;
};

/** Help texts of a command, or of one of its actions. */
export interface Described {
  /** Summary in one line, without a full stop. */
  summary: string;
  /** Paragraphs below the usage. A line that begins with a space is not wrapped. */
  text?: string;
  /**
   * Examples: a command line without `hygie`, its purpose, and the text that stands before the command line, such as the beginning of a
   * pipe.
   */
  examples?: readonly (readonly [words: string, what: string, before?: string])[];
}

/** A runnable unit: a command, or one action of it. */
export interface Runnable extends Pick<Described, 'text'> {
  /**
   * Arguments by name, in order, with their texts in the help. `DIR` must be given, `[ID]` may be left out, and `PATH...` may be repeated.
   */
  args?: Readonly<Record<string, string>>;
  options?: Options;
  /** The lines of the usage. By default, one line lists all arguments and options. */
  forms?: readonly string[];
  /** Words that are arguments although they begin with a hyphen. */
  dashed?: RegExp;
  /** Returns the JSON that is printed after wrong usage with `--json`. Without this function, none is printed. */
  wrongUsage?(error: UsageError): unknown;
  /** Resolves with the exit code. May throw `UsageError` (2), `Refusal` (1), or anything else (1, with its message). */
  run(values: Readonly<Record<string, unknown>>, args: readonly string[]): Promise<number>;
}

export type Action = Described & Runnable;

/** Exit codes: 0 done, 1 refused, 2 wrong usage. Data goes to standard output, messages to standard error. */
export interface Command extends Described {
  name: string;
  /** True if no trace covers the whole command: a service traces its requests instead, and health checks run all day. */
  untraced?: true;
  /** Runs if no action is named. */
  action?: Runnable;
  actions?: Readonly<Record<string, Action>>;
}

/** Commands by name. Each is loaded when it is called, so that a short command does not pay for the whole service. */
export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

type Typed<Base extends Runnable, Taken extends Options> = Omit<Base, 'options' | 'run'> & {
  options?: Taken;
  run(values: Values<Taken>, args: readonly string[]): Promise<number>;
};

/** Returns the command or action as it is. It only gives `run` the types of the values that its `options` declare. */
export function action<const Taken extends Options = Record<never, never>>(described: Typed<Action, Taken>): Action;
export function action<const Taken extends Options = Record<never, never>>(described: Typed<Runnable, Taken>): Runnable;
export function action(described: unknown): Runnable {
  return described as Runnable;
}
