// `service.yaml` of a soak.

import { stringify } from 'yaml';

/** Lifetimes with which all that a session has expires, and is removed, several times in a run of some minutes; so do failures. */
const SHORT = {
  accessToken: '60s',
  idToken: '60s',
  interaction: '3m',
  session: '5m',
  sessionIdle: '3m',
  grant: '6m',
  refreshToken: '4m',
  refreshTokenIdle: '2m',
  refreshTokenGrace: '10s',
};

/** The lifetimes that the load has to know, in milliseconds. */
export interface Lifetimes {
  session: number;
  sessionIdle: number;
  refresh: number;
  refreshIdle: number;
  access: number;
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

export const lifetimesOf = (short: boolean): Lifetimes =>
  short
    ? { session: 5 * MINUTE, sessionIdle: 3 * MINUTE, refresh: 4 * MINUTE, refreshIdle: 2 * MINUTE, access: MINUTE }
    : { session: DAY / 2, sessionIdle: 60 * MINUTE, refresh: 30 * DAY, refreshIdle: 14 * DAY, access: 60 * MINUTE };

export function serviceFile({ short, watched }: { short: boolean; watched: string }): string {
  return stringify({
    proxies: 1,
    namespace: 'https://soak.example',
    ...(short && { lifetimes: SHORT, limits: { failureWindow: '3m' } }),
    // A key signs this long after it was published: a rotation is over within the run.
    keys: { cachedFor: '20s', rotateAfter: 'never' },
    directory: { watch: watched, settle: '3s' },
    // The receiver of logout tokens.
    outgoing: { privateNetworks: ['127.0.0.0/8'] },
  });
}
