// The time zone of the operator (`branding.timeZone`), in which pages say times, whatever the machine's own is.

import { expect, it } from '@jest/globals';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { installation } from '#support/cli/hygie.ts';
import { serve } from '#support/cli/serving.ts';
import { createPerson } from '#support/person.ts';

it.each([
  ['is that of the pages', {}, 'UTC+11'],
  ['is beaten by the variable TZ', { TZ: 'Asia/Kolkata' }, 'UTC+5:30'],
] as const)('branding.timeZone %s', async (_what, env, zone) => {
  const place = installation();
  place.configure('service.yaml', 'branding:\n  timeZone: Pacific/Noumea\n');
  const { child, port, outputMatching, ended } = await serve(place, env);
  try {
    await outputMatching(/answers at/);
    const person = createPerson(`http://localhost:${port}`);
    const login = await person.visit('/account/activity');
    const credentials = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };
    expect((await person.press(login, 'sign-in', credentials)).html).toContain(`(${zone})`);
  } finally {
    child.kill();
    await ended;
    place.remove();
  }
});
