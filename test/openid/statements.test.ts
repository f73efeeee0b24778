// The table of statements in docs/operating/tuning.md beside what requests really send to PostgreSQL.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK, type RunningService, SECRET, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('statements of requests', () => {
  // The clients' secret is known in clear from the first request on, the sign-in is not the first one of the person's device.
  const SCOPE = 'openid email profile offline_access PRACTITIONER_READ';

  /** What the service does by itself at any time. */
  const SCHEDULED =
    /directory_pointer|directory_corrections|logout_deliveries|mail_queue|service_keys|leases|instances|audit_(chain|events)|clock_timestamp\(\)(\) as now|.*; commit$)/;

  let service: RunningService;
  /** By database: files that run together have services of their own, which may still be stopping. */
  const sent: { database: string; text: string }[] = [];
  beforeAll(async () => {
    const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown;
    jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parameters: unknown[]) {
      const [statement] = parameters as [string | { text: string }];
      const { database } = this as unknown as { database: string };
      sent.push({ database, text: typeof statement === 'string' ? statement : statement.text });
      return query.apply(this, parameters) as undefined;
    });
    service = await startService({ engine: 'postgresql' });
    // The first clean-up begins with the service; it ends by the corrections.
    await until(() => sent.some(({ text }) => /^delete from "directory_corrections"/.test(text)), 'it has cleaned up');
  });
  afterAll(() => service.stop());

  /** A statement as the table names it: a verb for each table that it reads or writes. */
  function named(statement: string): string {
    const parts = statement.matchAll(/\b(?<!do )(from|update|into|delete from)\s+"?(?!used)(\w+)"?/gi);
    const verbs: Record<string, string> = { update: 'update', into: 'insert', 'delete from': 'delete' };
    return [
      ...new Set([...parts].map(([, verb = '', table]) => `${verbs[verb.toLowerCase()] ?? 'select'} ${table}`)),
    ].join(', ');
  }

  type Counts = Record<string, number>;

  async function during(ask: () => Promise<unknown>): Promise<Counts> {
    sent.length = 0;
    await ask();
    const counts: Counts = {};
    const address = JSON.stringify(service.settings.database);
    const own = sent.filter(({ database }) => address.includes(`/${database}"`)).map(({ text }) => text);
    // A connection that is opened meanwhile sets its limits, by statements that name no table.
    const names = own
      .filter((one) => !SCHEDULED.test(one))
      .map(named)
      .filter(Boolean);
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  }

  function documented(): Record<string, Counts> {
    const requests: Record<string, Counts> = {};
    let request = '';
    for (const line of readFileSync('docs/operating/tuning.md', 'utf8').split('\n')) {
      const [, name = '', times = '', statement = ''] = line.split('|').map((cell) => cell.trim());
      request = name || request;
      const [, code] = /^`(.+)`$/.exec(statement) ?? [];
      if (code) requests[request] = { ...requests[request], [code]: Number(times) };
    }
    return requests;
  }

  it('each kind of request makes the statements that the table has', async () => {
    const post = async (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams({ client_id: 'trusted', client_secret: SECRET, ...fields });
      const answer = await fetch(service.issuer + path, { method: 'POST', body });
      expect(answer.status).toBe(200);
      return answer;
    };
    const token = async (fields: Record<string, string>) =>
      (await (await post('/oauth/token', fields)).json()) as Record<'access_token' | 'refresh_token', string>;
    const grant = { grant_type: 'authorization_code', redirect_uri: CALLBACK };
    const person = createPerson(service.issuer);
    const authorize = () => person.visit(authorizationUrl(service, { client_id: 'trusted', scope: SCOPE }));
    const codeOf = ({ left }: Awaited<ReturnType<typeof authorize>>) => left?.searchParams.get('code') ?? '';
    const made: Record<string, Counts> = {};

    await person.signIn(authorizationUrl(service, { client_id: 'trusted', scope: SCOPE }), CREDENTIALS);
    person.cookies.clear();
    const page = { html: '' } as Awaited<ReturnType<typeof authorize>>;
    made['authorize, nobody is signed in'] = await during(async () => Object.assign(page, await authorize()));
    made['sign-in with a password'] = await during(() => person.press(page, 'sign-in', CREDENTIALS));
    let code = '';
    made['authorize, signed in'] = await during(async () => {
      code = codeOf(await authorize());
    });
    let tokens = { access_token: '', refresh_token: '' };
    made['token'] = await during(() => token({ ...grant, code }));
    const again = authorizationUrl(service, { client_id: 'trusted', scope: SCOPE, prompt: 'consent' });
    code = (await person.signIn(again, CREDENTIALS)).searchParams.get('code') ?? '';
    made['token, with a refresh token'] = await during(async () => {
      tokens = await token({ ...grant, code });
    });
    made['refresh'] = await during(async () => {
      tokens = await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    made['introspection'] = await during(() => post('/oauth/introspect', { token: tokens.access_token }));
    made['userinfo'] = await during(() => fetch(`${service.issuer}/userinfo`, { headers }));
    made['revocation'] = await during(() => post('/oauth/revoke', { token: tokens.refresh_token }));
    expect(documented()).toEqual(made);
  });
});
