// Renewals of the directory while something breaks: each by a machine of its own with an empty folder, which fetches the edition in force first.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sendTo } from '#support/send-to-port.ts';
import { createEditions } from '#tools/site/editions.ts';
import { hygie, type Outcome, outputOf } from '#tools/site/processes.ts';

export interface Renewals {
  /** Imports the edition that the instances begin with. */
  first(): Promise<void>;
  /** Begins the import of the next edition. */
  begin(): Renewal;
}

export interface Renewal {
  /** Ends when it is imported, if need be by a second try, and the instances at these ports find its people. `token` reads the directory. */
  finish(ports: readonly number[], token: () => string): Promise<{ said: string; wrong: string[] }>;
}

interface Place {
  folder: string;
  issuer: string;
  environment: Record<string, string>;
  dataOf(name: string): string;
}

const PEOPLE = 500;
/** Milliseconds that an import may take, and until an instance serves it. */
const IMPORTED_WITHIN = 180_000;
const SERVED_WITHIN = 90_000;

export function openRenewals({ folder, issuer, environment, dataOf }: Place): Renewals {
  const editions = createEditions(29, PEOPLE);
  const files = join(folder, 'edition');
  const load = async (): Promise<Outcome> => {
    const data = dataOf('importer');
    rmSync(data, { recursive: true, force: true });
    const env = { ...environment, HYGIE_DATA: data };
    const outcome = await hygie(['directory', 'import', files, '--json'], { env, timeout: IMPORTED_WITHIN }).ended;
    rmSync(data, { recursive: true, force: true });
    return outcome;
  };
  const found = async (port: number, path: string, token: string): Promise<number> => {
    const forwarded = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': new URL(issuer).host,
      'x-forwarded-for': '127.9.9.9',
    };
    const headers = { ...forwarded, authorization: `Bearer ${token}`, connection: 'close' };
    const answer = await sendTo(port)(issuer + path, { headers });
    return answer.status === 200 ? ((await answer.json()) as { total: number }).total : Number.NaN;
  };
  return {
    async first() {
      editions.writeNext(files);
      outputOf(['directory', 'import'], await load());
    },
    begin() {
      const edition = editions.writeNext(files);
      const day = editions.days.at(-1) ?? 0;
      const path = `/directory/v2/Practitioner?address=jour%20${day}&_count=1`;
      const began = performance.now();
      const seconds = () => `${((performance.now() - began) / 1000).toFixed(0)} s`;
      const loading = load().then((outcome) => ({ ...outcome, after: seconds() }));
      return {
        async finish(ports, token) {
          const { code, stderr, after } = await loading;
          const said = [code === 0 ? `imported in ${after}` : `after ${after} exit code ${code}: ${lastLine(stderr)}`];
          const wrong: string[] = [];
          if (code !== 0) {
            const again = await load();
            said.push(again.code === 0 ? 'imported at the second try' : `again exit code ${again.code}`);
            if (again.code !== 0) wrong.push(`the import does not succeed afterwards: ${again.stderr.slice(-600)}`);
          }
          const late = performance.now() + SERVED_WITHIN;
          for (const port of ports) {
            let total = await found(port, path, token()).catch(() => Number.NaN);
            while (total !== edition.byStreet(day) && performance.now() < late) {
              await setTimeout(250);
              total = await found(port, path, token()).catch(() => Number.NaN);
            }
            if (total !== edition.byStreet(day))
              wrong.push(
                `an instance finds ${total} of the ${edition.byStreet(day)} people who moved in the new edition`,
              );
          }
          if (wrong.length === 0) said.push(`at every instance after ${seconds()}`);
          return { said: said.join('; '), wrong };
        },
      };
    },
  };
}

/** The sentence that a command ends with. */
function lastLine(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('Remedy'));
  return (lines.at(-1) ?? '').slice(0, 160);
}
