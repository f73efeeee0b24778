// The reference of the directory bench: a bare Express route that sends the bytes it is given on standard input.
// Run as a process of its own; prints its address when it listens.

import { text } from 'node:stream/consumers';
import express from 'express';

const body = await text(process.stdin);
const app = express();
app.get('/', (_req, res) => {
  res.set('Content-Type', 'application/fhir+json; charset=utf-8').send(body);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/\n`);
});
