// The table of a run: on the terminal, and as docs/interoperability.md.

import type { Check, Row } from './driver.ts';

const ORDER = ['JavaScript', 'Python', 'Go', 'Java', 'Rust', 'Command line', 'Proxies'];

const HEAD = `# Interoperability

Clients and proxies as they are published, driven against the running service. Written by \`npm run interop\`, which ends with 1
if one of them fails; nothing here is written by hand.

    npm run interop                             # all, and writes this page
    npm run interop -- --only go-oidc,hapi      # some, on the terminal only
    npm run interop -- --list                   # their names

The service runs as a process of its own with TLS. Each client is told to trust the certificate authority of the run. A scripted
person signs in. Packages are pinned by lock files in \`tools/interoperability/\`, whose README explains how a client is
added. They are fetched at the first run, so that it needs a registry; tests that \`npm test\` runs as well are taken from there.
A row is what that run saw: where a toolchain or a program was missing, the row says so and nothing else.

The certification suite of the OpenID Foundation is a matter of its own: [certification.md](certification.md).
`;

export function asMarkdown(rows: readonly Row[]): string {
  const groups = [...new Set(rows.map(({ group }) => group))].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
  const sections = groups.map((group) => {
    const own = rows.filter((row) => row.group === group).sort((a, b) => a.client.localeCompare(b.client, 'en'));
    const lines = own.map((row) => `| ${[row.client, row.version, driven(row), result(row)].map(cell).join(' | ')} |`);
    return [`## ${group}`, '', '| Client | Version | Driven | Result |', '| --- | --- | --- | --- |', ...lines].join(
      '\n',
    );
  });
  return `${HEAD}\n${summary(rows)}\n\n${sections.join('\n\n')}\n`;
}

/** `27 passed, 0 failed, 3 skipped.`. */
export function summary(rows: readonly Row[]): string {
  const skipped = rows.filter(({ skipped: why }) => why !== undefined).length;
  const failed = rows.filter(hasFailed).length;
  return `${rows.length - skipped - failed} passed, ${failed} failed, ${skipped} skipped.`;
}

export const hasFailed = ({ checks }: Row): boolean => checks.some(({ passed }) => !passed);

const place = (group: string) => (ORDER.includes(group) ? ORDER.indexOf(group) : ORDER.length);

const driven = ({ checks, driven: short }: Row) => {
  if (checks.length === 0) return '-';
  return short ? `${checks.length} checks: ${short}` : checks.map(({ what }) => what).join('; ');
};

export function result({ checks, skipped }: Row): string {
  if (skipped !== undefined) return `skipped: ${skipped}`;
  const failures = checks.filter(({ passed }) => !passed);
  return failures.length === 0 ? 'passed' : `**failed**: ${failures.map(fault).join('; ')}`;
}

/** Addresses of one run are none of the next. */
const fault = ({ what, why = '' }: Check) => `${what}: ${why.split('\n')[0]?.replace(/localhost:\d+/g, 'localhost')}`;

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
