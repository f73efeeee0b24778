// What a command is: its actions, options and arguments, and what its help says of them.

/** An option: how it is parsed, and its lines in the help. */
export interface Option {
  type: 'string' | 'boolean';
  multiple?: true;
  required?: true;
  /** What stands for its value in the help: `DIR`. */
  value?: string;
  /** Values that fit, and what they are: `a number of seconds`. */
  fits?: readonly [pattern: RegExp, what: string];
  text: string;
}
export type Options = Readonly<Record<string, Option>>;

/** An option without a value. */
export const flag = (description: string) => ({ type: 'boolean', text: description }) as const;

/** An option with a value, for which `value` stands in the help. */
export function option<const More extends Partial<Option> = object>(value: string, description: string, more?: More) {
  return { type: 'string', value, text: description, ...more } as {
    type: 'string';
    value: string;
    text: string;
  } & More;
}

/** The options that were given. */
export type Values<Taken extends Options> = {
  [Name in keyof Taken]?:
    | (Taken[Name] extends { type: 'boolean' } ? boolean : Taken[Name] extends { multiple: true } ? string[] : string)
    | undefined;
};

/** What the help says of a command, or of one of its actions. */
export interface Described {
  /** One line, without a full stop. */
  summary: string;
  /** Paragraphs below the usage; a line that begins with a space is not wrapped. */
  text?: string;
  /** Command lines without what stands before them, each with what it is for; `before` is for a pipe. */
  examples?: readonly (readonly [words: string, what: string, before?: string])[];
}

/** What can be run: a command, or one action of it. */
export interface Runnable extends Pick<Described, 'text'> {
  /** Arguments by name, in order, with their lines in the help: `DIR`, `[ID]` where it may be left out, `PATH...` where there may be more. */
  args?: Readonly<Record<string, string>>;
  options?: Options;
  /** What may be written behind the name, where that is not all arguments and options. */
  forms?: readonly string[];
  /** Words that are arguments although they begin with a hyphen. */
  dashed?: RegExp;
  /** Resolves with the exit code. May throw `UsageError` (2), `Refusal` (1), or anything else (1, with its message). */
  run(values: Readonly<Record<string, unknown>>, args: readonly string[]): Promise<number>;
}

export type Action = Described & Runnable;

/** Exit codes: 0 done, 1 refused, 2 wrong usage. Data goes to standard output, messages to standard error. */
export interface Command extends Described {
  name: string;
  /** Whether it is no trace of its own: a service traces its requests, and its health is asked for all day. */
  untraced?: true;
  /** What the command does without the name of an action. */
  action?: Runnable;
  actions?: Readonly<Record<string, Action>>;
}

/** Commands by name, loaded when called, so that a short command does not pay for the whole service. */
export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

type Typed<Base extends Runnable, Taken extends Options> = Omit<Base, 'options' | 'run'> & {
  options?: Taken;
  run(values: Values<Taken>, args: readonly string[]): Promise<number>;
};

/** Describes what can be run; `run` knows the types of its options. */
export function action<const Taken extends Options = Record<never, never>>(described: Typed<Action, Taken>): Action;
export function action<const Taken extends Options = Record<never, never>>(described: Typed<Runnable, Taken>): Runnable;
export function action(described: unknown): Runnable {
  return described as Runnable;
}
