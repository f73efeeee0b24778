// The messages between the shell of a page and the command process.

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

/** A program of the machine itself, where the place has a stand-in of that name. */
export function ownProgram({ env }: Pick<Call, 'env'>, ...words: string[]): string[] {
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => !folder.startsWith(`${rootOf({ env })}/`));
  return ['/usr/bin/env', `PATH=${folders.join(':')}`, ...words];
}

/** Ends a page's shell and all that it has started. */
export function killGroup(group: number): void {
  // 0 would be this process's own.
  if (group === 0) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
