// Tests run by test/fhir/shipped-edition.test.ts alone: a server sends a valid Practitioner, and one with an invalid code.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, it } from '@jest/globals';
import { recordAnswers } from './received-answers.ts';

let server: Server;
beforeAll(async () => {
  server = createServer((req, res) => {
    res.setHeader('Content-Type', 'application/fhir+json; charset=utf-8');
    const gender = req.url?.endsWith('/planted') ? 'planted' : 'female';
    res.end(JSON.stringify({ resourceType: 'Practitioner', id: 'a', gender }));
  });
  recordAnswers(server, '/directory/v2');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function receive(path: string): Promise<void> {
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/directory/v2${path}`)).text();
}

it('receives a valid answer', () => receive('/Practitioner/a'));
it('receives an invalid answer', () => receive('/planted'));
it('receives the same invalid answer', () => receive('/planted'));
it('receives nothing', () => {});
