// The clock of the service's machine jumps; those of its clients are right.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOTH, type Fault } from '#tools/faults/fault.ts';
import type { Site } from '#tools/faults/site/site.ts';

/** The library of Debian's package libfaketime. */
const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

const clockOf = ({ folder }: Site) => join(folder, 'clock');
const show = (site: Site, offset: string) => writeFileSync(clockOf(site), offset);

/** The service runs with a clock that a file moves while it does. */
async function withClock(site: Site): Promise<void> {
  show(site, '+0');
  await site.service.kill('SIGTERM');
  await site.service.start({
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: clockOf(site),
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
}

const RESTARTED = /^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET|other side closed)/;
// Codes live for a minute, access tokens for an hour, sessions of the browser for one hour without use, a sign-in under way too: they end at the jump ahead, or, of
// a clock that was late, when it is set right.
const EXPIRED = `${RESTARTED.source}|^401 for (a search|userinfo)|^400 for authorization_code|^no form with a button #sign-out|^sign-in stopped at \\S+ \\(400\\)`;

const all: { name: string; offset: string; may: RegExp }[] = [
  { name: 'clock jumps ahead by an hour', offset: '+3601', may: new RegExp(EXPIRED) },
  { name: 'clock jumps back by an hour', offset: '-3600', may: new RegExp(EXPIRED) },
  { name: 'clock jumps ahead by a day', offset: '+86401', may: new RegExp(EXPIRED) },
];

export const clocks: Fault[] = all.map(({ name, offset, may }) => ({
  name,
  how: `libfaketime, ${offset} s while the service runs, for 6 s, and right again`,
  on: BOTH,
  seconds: 6,
  may,
  ready: 200,
  ends: true,
  missing: () => (existsSync(LIBRARY) ? undefined : 'apt-get install libfaketime'),
  make: async (site) => {
    await withClock(site);
    show(site, offset);
  },
  mend: (site) => show(site, '+0'),
}));
