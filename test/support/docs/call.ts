// What a page's shell asks of the command process, and what it is answered.

export interface Call {
  /** The program, by the name that the page calls. */
  name: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  stdin: string;
}

/** `exec`: the program that the shell runs in the place of the call. */
export interface Answer {
  code?: number;
  stdout?: string;
  stderr?: string;
  exec?: string[];
}

/** The folder that stands for the machine's root in the page's place. */
export const rootOf = ({ env }: Pick<Call, 'env'>): string => env['PLACE_ROOT'] ?? '';
