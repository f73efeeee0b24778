// An installation of its own for each test that writes down what commands on accounts say.

import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import type { Installation } from './hygie.ts';
import { inProcess } from './in-process.ts';
import { migratedInstallation } from './serving.ts';
import { transcript } from './transcript.ts';

/** A line of standard input. */
export const PASSWORD = 'tortue violette 87\n';

/** To be called within `describe`. What it returns holds for the test that runs. */
export function accountTranscripts() {
  let place: Installation;
  let database: Database;
  beforeEach(async () => {
    const installed = await migratedInstallation();
    place = { ...installed, hygie: inProcess(installed) };
    database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
  });
  afterEach(() => database.destroy());

  const hygie: Installation['hygie'] = (...call) => place.hygie(...call);
  return {
    hygie,
    folder: () => place.folder,
    database: () => database,
    said: (...steps: Parameters<typeof transcript>[1]) => transcript(place, steps),
    add: (email: string, ...more: string[]) =>
      hygie(['accounts', 'add', '--email', `${email}@n.example`, '--given', 'Zoé', '--family', 'Martin', ...more], {
        input: PASSWORD,
      }),
    /** Events of the trail with their details, and the mails that wait with theirs. */
    async left() {
      const { stdout } = await hygie(['audit', '--json']);
      const events = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      const mails = await database('mail_queue').orderBy('id');
      return {
        events: events.map(({ event, details = {}, client }) => [event, details, ...(client ? [client] : [])]),
        mails: mails.map(({ kind, topic, address, details }) => [kind, topic, address, JSON.parse(details)]),
      };
    },
  };
}
