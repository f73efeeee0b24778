// SEC-48: several instances of one service tell the audit trail of a changed configuration once; those that differ do not fill it.
// What is told: `configuration-memory.test.ts`.

import { describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '../../src/config/index.ts';
import { openConfigurationMemory } from '../../src/server/audit/configuration-memory.ts';
import {
  change,
  client,
  FIRST,
  LONGER,
  log,
  logged,
  onEngine,
  opened,
  place,
  SHORTER,
  start,
  startAtOnce,
  tokens,
  trail,
} from '../support/cli/configuration-starts.ts';
import { ENGINES } from '../support/databases.ts';
import { until } from '../support/until.ts';

describe.each(ENGINES)('several instances on %s', (engine) => {
  onEngine(engine);

  it('SEC-48 instances that start at once, or one after the other, with the same configuration tell it once', async () => {
    const ports = ['22301', '22302', '22303'];
    const together = () => startAtOnce(ports.map((HYGIE_PORT) => ({ HYGIE_PORT })));
    await together();
    expect(await trail()).toEqual([FIRST]);
    tokens('30m');
    place.configure('clients.yaml', `clients: [${client()}]`);
    await together();
    expect(await trail()).toEqual([FIRST, SHORTER, ['web', expect.arrayContaining(['type browser'])]]);
    tokens('1h');
    for (const HYGIE_PORT of ports) await start({ HYGIE_PORT });
    expect((await trail()).slice(3)).toEqual([LONGER]);
    const levels = ['debug', 'warn', 'error'].map((LOG_LEVEL, index) => ({
      HYGIE_PORT: ports[index] ?? '',
      LOG_LEVEL,
    }));
    await startAtOnce(levels);
    const ends = (await trail()).slice(4).map(([, keys]) => String(keys).replace(/.*-> /, ''));
    expect(ends.sort()).toEqual(['debug', 'error', 'warn']);
    expect(logged).not.toContain('"level":"warn"');
  });
});

describe('instances and their edits', () => {
  onEngine('sqlite');

  it('SEC-48 instances that differ do not fill the trail by turns, and a change of one of them is told', async () => {
    const turn = async () => {
      tokens('1h');
      await start({ HYGIE_PORT: '22301' });
      tokens('30m');
      await start({ HYGIE_PORT: '22302' });
      tokens('2h');
      await start({ HYGIE_PORT: '22303' });
    };
    for (let turns = 0; turns < 6; turns += 1) await turn();
    // Each tells how it differs from each of the others, which might have been a way back.
    const told = await trail();
    const byTurns = [change(7200, 3600), change(3600, 7200), change(7200, 1800), change(1800, 3600)];
    expect(told).toEqual([FIRST, SHORTER, change(1800, 7200), ...byTurns]);
    expect(logged).toContain('service: as before, and still unlike what another instance has');

    tokens('20m');
    await start({ HYGIE_PORT: '22302' });
    await start({ HYGIE_PORT: '22302' });
    tokens('1h');
    for (let turns = 0; turns < 3; turns += 1) await start({ HYGIE_PORT: '22301' });
    expect((await trail()).slice(told.length)).toEqual([change(1800, 1200), change(1200, 3600)]);
  });

  it('SEC-48 an edit while it runs, of which the trail was told, hides no other instance that started meanwhile', async () => {
    await start({ HYGIE_PORT: '22301' }, opened.database, async (memory) => {
      tokens('30m');
      await start({ HYGIE_PORT: '22302' });
      place.configure('clients.yaml', `clients: [${client()}]`);
      memory.edited((await loadConfiguration({ ...place.environment })).clients);
    });
    expect(await trail()).toEqual([FIRST, SHORTER]);
    tokens('1h');
    await start({ HYGIE_PORT: '22301' });
    expect(await trail()).toEqual([FIRST, SHORTER, LONGER]);
  });

  it('SEC-48 what could not be compared is tried again while the service runs, and an edit is remembered after it', async () => {
    await start();
    await opened.database.schema.renameTable('known_configuration', 'elsewhere');
    tokens('30m');
    await start({}, opened.database, async (memory) => {
      place.configure('clients.yaml', `clients: [${client()}]`);
      memory.edited((await loadConfiguration({ ...place.environment })).clients);
      await until(() => logged.includes('it is tried again'), 'the table is missed');
      await opened.database.schema.renameTable('elsewhere', 'known_configuration');
      await until(async () => (await trail()).length > 1, 'it is compared');
    });
    await start();
    expect(await trail()).toEqual([FIRST, SHORTER]);
  });

  it('SEC-48 an edit that is taken before the service answers is remembered all the same', async () => {
    await start();
    const { settings, clients } = await loadConfiguration({ HYGIE_PORT: '22300', ...place.environment });
    const memory = openConfigurationMemory({ database: opened.database, settings, clients, log });
    place.configure('clients.yaml', `clients: [${client()}]`);
    memory.edited((await loadConfiguration({ ...place.environment })).clients);
    memory.inForce();
    await memory.close();
    await start();
    expect(await trail()).toEqual([FIRST]);
  });

  it('SEC-48 what each instance has for itself is no change: port, host, processes, folders, form of the log', async () => {
    await start();
    place.configure('service.yaml', 'listen: { host: 127.0.0.2 }\nprocesses: 3');
    await start({ HYGIE_PORT: '22304', HYGIE_DATA: '/elsewhere', HYGIE_PROCESSES: '2', LOG_FORMAT: 'pretty' });
    expect(await trail()).toEqual([FIRST]);
  });

  it('names of instances that come and go do not fill the table', async () => {
    await start();
    for (let port = 22310; port < 22335; port += 1) await start({ HYGIE_PORT: String(port) });
    expect(await opened.database('known_configuration').select('instance').where({ part: 'service' })).toHaveLength(21);
    expect(await trail()).toEqual([FIRST]);
  });
});
