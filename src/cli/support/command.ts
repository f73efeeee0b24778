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

/** Describes an option without a value. */
export const flag = (description: string) => ({ type: 'boolean', text: description }) as const;

/** Describes an option with a value. `value` is the placeholder for the option's value in the help. */
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
  /** Paragraphs after the usage. A line that begins with a space is not wrapped. */
  text?: string;
  /**
   * Examples. Each has a command line without `hygie`, its purpose, and optionally a text to print before the command line, such as the
   * beginning of a pipe.
   */
  examples?: readonly (readonly [words: string, what: string, before?: string])[];
}

/** The part of a command, or of one of its actions, that can be run. */
export interface Runnable extends Pick<Described, 'text'> {
  /**
   * The text of each argument in the help, by the name of the argument, in the order of the command line. `DIR` must be given, `[ID]` may
   * be left out, and `PATH...` may be repeated.
   */
  args?: Readonly<Record<string, string>>;
  options?: Options;
  /** The usage lines, without the name of the command. If they are absent, one line with all arguments and options is printed. */
  forms?: readonly string[];
  /** Pattern of the words that are arguments and not options although they begin with a hyphen. */
  dashed?: RegExp;
  /** Returns the value that is printed as JSON after wrong usage with `--json`. If this function is absent, no JSON is printed. */
  wrongUsage?(error: UsageError): unknown;
  /**
   * Resolves with the exit code, or with nothing for 0. If it throws, the message of the error is printed. The exit code is then 2 for a
   * `UsageError`, and 1 for any other error.
   */
  run(values: Readonly<Record<string, unknown>>, args: readonly string[]): Promise<number | undefined>;
}

export type Action = Described & Runnable;

/** Exit codes: 0 done, 1 refused, 2 wrong usage. Data goes to standard output, messages to standard error. */
export interface Command extends Described {
  name: string;
  /**
   * True if no trace covers the whole command. The command `serve` traces each request instead, and `health` runs so often that its traces
   * would be useless.
   */
  untraced?: true;
  /** Runs if the command line names no action. */
  action?: Runnable;
  actions?: Readonly<Record<string, Action>>;
}

/**
 * Loads a command, by its name. A command is loaded only when it is called, so that a short command does not have to load the whole
 * service.
 */
export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

type Typed<Base extends Runnable, Taken extends Options> = Omit<Base, 'options' | 'run'> & {
  options?: Taken;
  run(values: Values<Taken>, args: readonly string[]): Promise<number> | Promise<void>;
};

/** Returns `described` unchanged. This function exists for the types: it gives `run` the types of the values that the `options` declare. */
export function action<const Taken extends Options = Record<never, never>>(described: Typed<Action, Taken>): Action;
export function action<const Taken extends Options = Record<never, never>>(described: Typed<Runnable, Taken>): Runnable;
export function action(described: unknown): Runnable {
  return described as Runnable;
}
