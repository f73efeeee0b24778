// A header of preferences costs no more than it is worth.

import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { withoutLongPreferences } from '#server/middleware/request-limits.ts';

const app = express().use(withoutLongPreferences);
app.get('/', ({ headers }, res) => void res.json(headers));

describe('preferences', () => {
  it.each(['accept', 'accept-language', 'accept-encoding', 'accept-charset'])(
    '%s counts up to 2,048 characters',
    async (name) => {
      const sent = async (value: string) =>
        ((await request(app).get('/').set(name, value)).body as Record<string, string>)[name];
      const longest = `a/b;x="${';'.repeat(2041)}`;
      expect(await sent(longest)).toBe(longest);
      expect(await sent(`${longest};`)).toBeUndefined();
    },
  );
});
