// A mail server that is away, hangs, refuses or closes: sign-ins are not affected, and each mail arrives in the end.

import { setTimeout } from 'node:timers/promises';
import { BOTH, type Fault } from '#tools/faults/fault.ts';
import type { Site } from '#tools/faults/site/site.ts';

let invited = 0;

/** Adds a person whose invitation then waits to be sent. */
async function invite(site: Site): Promise<void> {
  invited += 1;
  await site.succeed(['accounts', 'add', '--email', addressOf(invited), '--name', `Invited ${invited}`, '--invite']);
}

const addressOf = (number: number) => `invited.${number}@clinic.example`;
/** Milliseconds: pauses between tries double from five seconds, and a server that failed is left alone for a while. */
const ARRIVES_WITHIN = 180_000;

async function arrived(site: Site): Promise<string[]> {
  const late = performance.now() + ARRIVES_WITHIN;
  const came = () => site.mail.received.some(({ recipients }) => recipients.includes(addressOf(invited)));
  while (!came() && performance.now() < late) await setTimeout(500);
  return came() ? [] : ['lost: a mail'];
}

const reopen = async ({ mailNetwork }: Site) => {
  Object.assign(mailNetwork, { swallow: false, drop: false });
  await mailNetwork.cut();
  await mailNetwork.open();
};

const all: Pick<Fault, 'name' | 'how' | 'seconds' | 'make' | 'mend'>[] = [
  {
    name: 'mail server away',
    how: 'its port refuses while somebody is invited; back after 6 s',
    seconds: 6,
    make: ({ mailNetwork }) => mailNetwork.cut(),
    mend: ({ mailNetwork }) => mailNetwork.open(),
  },
  {
    name: 'mail server hangs',
    how: 'connections are taken and nothing is answered, for 20 s',
    seconds: 20,
    make: ({ mailNetwork }) => {
      mailNetwork.swallow = true;
    },
    mend: reopen,
  },
  {
    name: 'mail server accepts and closes',
    how: 'every connection is closed at once, for 6 s',
    seconds: 6,
    // The connection that the service keeps, too.
    make: async ({ mailNetwork }) => {
      mailNetwork.drop = true;
      await mailNetwork.cut();
      await mailNetwork.open();
    },
    mend: reopen,
  },
  {
    name: 'mail server refuses for now',
    how: '`450` for every recipient, for 6 s',
    seconds: 6,
    make: ({ mail }) => {
      mail.refuse.recipient = [450, 'try again later'];
    },
    mend: ({ mail }) => {
      mail.refuse = {};
    },
  },
];

const FAILED = /mails cannot be sent: they are tried again|"event":"mail.failed"|a mail could not be sent/;
/** Milliseconds: also the patience that the service has with a server that hangs. */
const TRIED_WITHIN = 75_000;

export const mails: Fault[] = all.map((fault) => ({
  ...fault,
  on: BOTH,
  unnoticed: true,
  ready: 200,
  log: FAILED,
  make: async (site) => {
    await fault.make(site);
    const from = site.service.logLength();
    await invite(site);
    // The command only puts it into the queue, into which the service looks from time to time.
    const late = performance.now() + TRIED_WITHIN;
    while (!FAILED.test(site.service.logged(from)) && performance.now() < late) await setTimeout(500);
  },
  check: arrived,
}));
