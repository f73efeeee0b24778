import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DISCOVERY, ROUTES } from '#openid/routes.ts';
import { pathLogger } from '#server/middleware/request-log.ts';
import { bothEngines } from '#support/both-engines.ts';
import { ALLOWED, type Allowance } from '#support/hygiene/allowed.ts';
import { driveAccount } from '#support/hygiene/drives/account.ts';
import { actionsOfCommands, type Driven, driveCommands } from '#support/hygiene/drives/commands.ts';
import { driveDirectory } from '#support/hygiene/drives/directory.ts';
import { driveEndpoints } from '#support/hygiene/drives/endpoints.ts';
import { driveEverywhere } from '#support/hygiene/drives/everywhere.ts';
import { driveFailures } from '#support/hygiene/drives/failures.ts';
import { driveDemo, driveLinks, driveSignIns, driveStranger } from '#support/hygiene/drives/sign-in.ts';
import { type Findings, findLeaks } from '#support/hygiene/findings.ts';
import { dumpOf, filesBelow } from '#support/hygiene/places.ts';
import { type Stage, setStage } from '#support/hygiene/stage.ts';
import { newFolder } from '#support/new-folder.ts';
import { until } from '#support/until.ts';

/** Some thousand requests, and every command. */
const LONG = 300_000;
const used = new Set<Allowance>();

describe.each(bothEngines('hygiene/canaries.system'))('SEC-17 canaries on %s', (engine) => {
  let stage: Stage;
  let folder: string;
  let commands: Driven;
  let failed: number;
  let findings: Findings;
  beforeAll(async () => {
    folder = newFolder();
    stage = await setStage(engine);
    await driveEndpoints(stage);
    await driveSignIns(stage);
    await driveLinks(stage);
    await driveAccount(stage);
    // Requests that do not depend on the database are sent on one engine.
    if (engine === 'sqlite') {
      await driveStranger(stage);
      await driveDemo(stage);
      await driveDirectory(stage);
      await driveEverywhere(stage);
    }
    failed = await driveFailures(stage);
    commands = await driveCommands(stage, folder);
    const { service } = stage;
    // The notice to an account that is deleted has its address with it until it is sent.
    const addressed = () => service.database('mail_queue').whereNotNull('address').whereNotNull('due_at');
    await until(async () => (await addressed()).length === 0, 'notices with an address are sent');
    findings = findLeaks(stage, [
      { name: 'log', content: service.logged() },
      { name: 'traces', content: stage.collector.received() },
      ...commands.output,
      ...(await dumpOf(service.database)),
      ...filesBelow(service.settings.dataFolder),
      ...filesBelow(join(folder, 'backup'), 'backup'),
      ...filesBelow(join(folder, 'restored')),
      ...(engine === 'postgresql' ? filesBelow(join(folder, 'programs'), 'arguments of') : []),
    ]);
    for (const allowance of findings.used) used.add(allowance);
  }, LONG);
  afterAll(async () => {
    await stage.close();
  });

  it('no secret stands where it may not: log, audit trail, answers, commands, database, files', () => {
    expect(findings.leaks.join('\n')).toBe('');
  });

  it('the drives include requests that failed in the middle', () => {
    expect(failed).toBeGreaterThan(5);
    expect(stage.answers.findLast(({ asked }) => asked === 'GET /metrics')?.status).toBe(200);
  });

  it('the search includes the traces', () => {
    const spans = stage.collector.spans();
    expect(
      spans.filter(({ kind, attributes }) => kind === 2 && attributes['http.route'] !== undefined).length,
    ).toBeGreaterThan(50);
    expect(spans.some(({ attributes }) => attributes['db.query.text'] !== undefined)).toBe(true);
  });

  it('each line of the log is one JSON object, with time, level and message', () => {
    const lines = stage.service.logged().trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(100);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        level: expect.any(String),
        msg: expect.any(String),
      });
    }
  });

  it('the drives run every command and each of its actions', async () => {
    const known = await actionsOfCommands(stage);
    expect(known.length).toBeGreaterThan(40);
    if (engine === 'sqlite') expect(known.filter((action) => !commands.actions.has(action))).toEqual([]);
  });

  it('the drives ask every route, and the log names it', () => {
    const routes = stage.routes();
    expect(routes.length).toBeGreaterThan(80);
    if (engine === 'sqlite') expect(routes.filter(({ asked }) => !asked).map(({ name }) => name)).toEqual([]);
    const asked = new Set(stage.answers.map(({ asked: one }) => one.split(' ')[1]));
    for (const path of [...Object.values(ROUTES), ...DISCOVERY]) expect(asked).toContain(path);
    const logged = pathLogger(stage.service.settings);
    const paths = routes.flatMap(({ path }) => path.split(' | ')).filter((path) => !/\.(css|js|svg)$/.test(path));
    const unknown = paths.filter((path) => logged(path.replace(/\/:\w+/g, '')).includes('…'));
    expect(unknown).toEqual([]);
  });
});

it('every exception of allowed.ts is needed', () => {
  expect(ALLOWED.filter((allowance) => !used.has(allowance)).map(({ kinds, place }) => `${kinds} ${place}`)).toEqual(
    [],
  );
});
