// The command line of the directory bench.

import { optionsOf, refuse } from '#tools/site/options.ts';

const PARTS = ['import', 'store', 'http', 'cold', 'renewal'] as const;
export type Part = (typeof PARTS)[number];
export type Options = ReturnType<typeof readOptions>;

export function readOptions() {
  const options = optionsOf(
    `npm run bench:directory [-- OPTIONS]
Measures the directory: import, search through the store, search over HTTP, sign-ins while the file is out of memory (cold), and the
renewal of the edition. Prints one table in Markdown; judges nothing. Needs Linux for memory and processor time (/proc).
Without --data and --generator it measures the small shipped edition, and no renewal.`,
    {
      data: ['', 'folder of an edition; truth_counts.json and truth.ndjson in it are compared with the answers'],
      next: ['', 'folder of the edition after it, for the renewal'],
      generator: [
        '',
        'program that writes editions: --practitioners N --seed 7 --out DIR [--day 1]; or HYGIE_GENERATOR',
      ],
      practitioners: [200_000, 'size of a generated edition', 1],
      skip: ['', `parts to leave out: ${PARTS.join(',')}`],
      keep: ['', 'folder that keeps the imported data, or holds it already'],
      queries: [1000, 'queries of each class through the store', 1],
      seconds: [4, 'length of each measurement over HTTP', 0.1],
      rounds: [5, 'rounds of the comparison with the bare route', 1],
      'page-rate': [2500, 'pages per second of the steady load', 1],
      'renewal-rate': [200, 'searches per second during the renewal', 1],
    },
  );
  const skip = options.skip.split(',').filter(Boolean);
  const unknown = skip.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) refuse(`--skip knows ${PARTS.join(', ')}, not "${unknown}".`);
  const generator = (options.generator || (process.env['HYGIE_GENERATOR'] ?? '')).split(/\s+/).filter(Boolean);
  return {
    ...options,
    generator,
    pageRate: options['page-rate'],
    renewalRate: options['renewal-rate'],
    skip: new Set(skip) as ReadonlySet<string>,
  };
}
