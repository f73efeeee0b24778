// Writes down what an operator sees of commands, line by line, for tests that state all of it.

import type { Installation } from './hygie.ts';

/** A command line, or one with its standard input and environment. */
type Step = string | readonly [line: string, options: Parameters<Installation['hygie']>[1]];

/** What the first command says where the umask lets others read. */
const MADE_PRIVATE = /^! HYGIE_DATA .* made private /;

/** The words of a command line; those in double quotation marks may have spaces. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/**
 * Runs the commands one after the other. Each is a line that begins with `$`, followed by its standard output (`> `), its standard error
 * (`! `) and its exit code, if that is not 0. The folder of the installation is `DIR`, UUIDs are `UUID`, times are `TIME` or
 * `SECONDS`, and of a sign that is repeated fifty times one is left.
 */
export async function transcript(
  { folder, hygie }: Pick<Installation, 'folder' | 'hygie'>,
  steps: readonly Step[],
): Promise<string> {
  const lines: string[] = [];
  for (const step of steps) {
    const [line, options = {}] = typeof step === 'string' ? [step] : step;
    const env = { HYGIE_COMMAND: 'hygie', HYGIE_OPERATOR: 'ops', ...options.env };
    const { code, stdout, stderr } = await hygie(wordsOf(line.replaceAll('DIR', folder)), { ...options, env });
    const marked = (mark: string, text: string) =>
      text === ''
        ? []
        : text
            .replace(/\n$/, '')
            .split('\n')
            .map((one) => `${mark} ${one}`.trimEnd());
    lines.push(`$ ${line}`, ...marked('>', stdout), ...marked('!', stderr), ...(code === 0 ? [] : [`exit ${code}`]));
  }
  return lines
    .filter((line) => !MADE_PRIVATE.test(line))
    .join('\n')
    .replaceAll(/(\w)\1{49,}/g, '$1…')
    .replaceAll(folder, 'DIR')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(?<=At": )\d{10}\b|(?<=Before": )\d{10}\b/g, 'SECONDS');
}
