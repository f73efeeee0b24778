// The reference of the directory bench: a bare Express route that sends the bytes it is given on standard input, by GET and by
// POST alike. Arguments: Content-Type, Content-Encoding. Run as a process of its own; prints its address when it listens.

import { buffer } from 'node:stream/consumers';
import express from 'express';

const [type = 'application/fhir+json; charset=utf-8', encoding] = process.argv.slice(2);
const bytes = await buffer(process.stdin);
// Text is what a route of one's own would send; bytes that are compressed already are none.
const body = encoding === undefined ? bytes.toString() : bytes;
const app = express();
app.all('/', (_req, res) => {
  if (encoding !== undefined) res.set('Content-Encoding', encoding);
  res.set('Content-Type', type).send(body);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/\n`);
});
