// The command line of the directory bench and its help text.

import { parseArgs } from 'node:util';

export const PARTS = ['import', 'store', 'http', 'cold', 'renewal'] as const;
export type Part = (typeof PARTS)[number];

export interface Options {
  /** Folder of an edition; absent when one is generated, or the shipped one is taken. */
  data?: string;
  /** Folder of the edition after it. */
  next?: string;
  /** Command and first arguments of a generator of fictional editions. */
  generator?: readonly string[];
  practitioners: number;
  keep?: string;
  seconds: number;
  rounds: number;
  queries: number;
  /** Requests per second. */
  pageRate: number;
  renewalRate: number;
  skip: ReadonlySet<Part>;
}

export const HELP = `Measures the directory: import, search through the store, search over HTTP, sign-ins while the file is out of memory (cold),
and the renewal of the edition.

Usage: npm run bench:directory -- [options]

  --data DIR           an edition of the registers; where DIR holds truth_counts.json and truth.ndjson of fictional
                       data, the answers are compared with them
  --next DIR           the edition after it, for the renewal
  --generator "CMD"    a program that writes fictional editions; it is called with --practitioners N --seed 7 --out DIR,
                       and with --day 1 added for the next edition. Also the environment variable HYGIE_GENERATOR
  --practitioners N    size of the generated edition (200000)
                       Without --data and generator the small shipped edition seeds/edition is measured, not renewed.
  --skip PARTS         leave out some of ${PARTS.join(',')}
  --keep DIR           keep the imported data in DIR, or measure what is there already: it is then not imported again
  --queries N          queries of each class through the store (1000)
  --seconds N          length of each measurement over HTTP (4)
  --rounds N           rounds of the comparison with the bare route (5)
  --page-rate N        pages per second of the steady load (2500)
  --renewal-rate N     searches per second while the edition is renewed (200)
  --help

Needs Linux for memory and processor time (/proc). Talks to the loopback address only, removes its temporary data, and
judges nothing. The result is one table in Markdown on standard output; what is going on stands on standard error.
`;

/** Reads the command line; `undefined` when help was asked for. Throws for wrong usage, naming it. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean' },
      data: text,
      next: text,
      generator: text,
      practitioners: text,
      skip: text,
      keep: text,
      queries: text,
      seconds: text,
      rounds: text,
      'page-rate': text,
      'renewal-rate': text,
    },
  });
  if (values.help) return undefined;
  const generator = (values.generator ?? env['HYGIE_GENERATOR'])?.split(/\s+/).filter(Boolean);
  return {
    ...(values.data !== undefined && { data: values.data }),
    ...(values.next !== undefined && { next: values.next }),
    ...(values.keep !== undefined && { keep: values.keep }),
    ...(generator?.length && { generator }),
    practitioners: number('practitioners', values.practitioners, 200_000),
    queries: number('queries', values.queries, 1000),
    seconds: number('seconds', values.seconds, 4),
    rounds: number('rounds', values.rounds, 5),
    pageRate: number('page-rate', values['page-rate'], 2500),
    renewalRate: number('renewal-rate', values['renewal-rate'], 200),
    skip: partsOf(values.skip),
  };
}

function number(name: string, text: string | undefined, byDefault: number): number {
  const value = text === undefined ? byDefault : Number(text);
  if (!(value > 0)) throw new Error(`--${name} is a number above 0.`);
  return value;
}

function partsOf(text = ''): ReadonlySet<Part> {
  const names = text.split(',').filter(Boolean);
  const known = (name: string): name is Part => PARTS.some((part) => part === name);
  return new Set(
    names.map((name) => {
      if (!known(name)) throw new Error(`--skip knows ${PARTS.join(', ')}, not "${name}".`);
      return name;
    }),
  );
}
