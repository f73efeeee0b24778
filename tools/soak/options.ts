// The command line of the soak.

import { optionsOf, refuse } from '#tools/site/options.ts';

export type Options = ReturnType<typeof readOptions>;

export function readOptions() {
  const options = optionsOf(
    `npm run soak [-- OPTIONS]
Runs the service for a while as an operator does, under mixed load, and says whether anybody noticed what happened meanwhile.
Two instances in production mode, on one embedded PostgreSQL, behind HAProxy with deploy/haproxy.cfg as it is shipped. While people sign
in, tokens are refreshed and the directory is searched, the keys are rotated, clients.yaml is edited (once badly), the directory is
renewed, accounts are disabled, backups are made, both instances are restarted in turn, and a third one on an empty folder joins and leaves.
Everything is on the loopback address and in a temporary folder, which is removed at the end.
Needs Linux (/proc), haproxy and openssl (apt-get install haproxy openssl). Exit codes: 0 nobody noticed anything and nothing grew; 1
something failed or grew, the table says what; 2 wrong usage. How to read it: tools/README.md`,
    {
      minutes: [5, 'how long the load lasts', 2],
      rate: [6, 'operations begun per second, whatever the answers take', 0.1],
      processes: [1, 'worker processes of each instance', 1],
      people: [60, 'accounts', 30],
      practitioners: [3000, 'size of the fictional directory', 500],
      lifetimes: ['short', 'short: tokens and sessions end within minutes; default: as in service.yaml'],
      seed: [1, 'of the draws: the same seed gives the same order of operations'],
      logs: ['', 'folder that keeps the logs of the instances'],
      json: ['', 'file for the whole report as JSON'],
    },
  );
  if (!['short', 'default'].includes(options.lifetimes)) refuse('--lifetimes is short or default.');
  return { ...options, short: options.lifetimes === 'short' };
}
