// The Dockerfile: what its image holds, and the service in it as an engine would run it (docker run --read-only): production
// dependencies alone, an account by number, nothing to write but /data, process 1.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';
import { copiedBy, environmentOf, execForm, stagesOf, textOf } from './dockerfile.ts';
import { contain, hasSandbox, type Image, productionPackages } from './sandbox.ts';

const CONTEXT = join(import.meta.dirname, '../..');
const text = readFileSync(join(CONTEXT, 'Dockerfile'), 'utf8');
const stages = stagesOf(text);
const build = stages[0] ?? [];
const last = stages.at(-1) ?? [];
const command = [...execForm(textOf(last, 'ENTRYPOINT')), ...execForm(textOf(last, 'CMD'))];
const healthCheck = execForm(textOf(last, 'HEALTHCHECK'));

/** Milliseconds. Node compiles the whole service three times, because the compiled code of the image is not there. */
const THREE_STARTS = 60_000;

const folder = newFolder();

describe('Dockerfile', () => {
  it('names its base by version and digest, says how both are renewed, and ends in a stage without npm ci', () => {
    const bases = stages.map((stage) => textOf(stage, 'FROM')?.replace(/ AS \w+$/, ''));
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:24\.\d+\.\d+-[\w-]+@sha256:[0-9a-f]{64}$/);
    expect(text).toMatch(/docker buildx imagetools inspect node:24-/);
    expect(textOf(build, 'RUN')).not.toContain('npm install');
    expect(last.filter(({ name, text }) => name === 'RUN' && text.includes('npm'))).toEqual([]);
  });

  it('bakes in no configuration and no data', () => {
    const sources = copiedBy(build, CONTEXT).map(([source]) => source.slice(CONTEXT.length + 1));
    expect(sources.sort()).toEqual(['LICENSE', 'knexfile.ts', 'package-lock.json', 'package.json', 'seeds', 'src']);
    expect(copiedBy(last, CONTEXT)).toEqual([]);
  });

  it('runs as an account by number that is not root, and stops by SIGTERM', () => {
    expect(textOf(last, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(textOf(last, 'STOPSIGNAL')).toBe('SIGTERM');
    expect(command).toEqual(['node', '--max-semi-space-size=8', '/hygie/src/launch.js', 'serve']);
  });

  it('has the memory of npm start, and so has the unit', () => {
    const { scripts } = JSON.parse(readFileSync(join(CONTEXT, 'package.json'), 'utf8'));
    const [, tunables, option] = /GLIBC_TUNABLES:-(\S+)\} exec node (\S+) /.exec(scripts.start) ?? [];
    expect(tunables).toMatch(/^glibc\.malloc\.arena_max=2:/);
    expect(text).toContain(`\nENV GLIBC_TUNABLES=${tunables}\n`);
    expect(command).toContain(option);
    const unit = readFileSync(join(CONTEXT, 'deploy/hygie@.service'), 'utf8');
    expect(unit).toContain(`\nEnvironment=GLIBC_TUNABLES=${tunables}\n`);
    expect(unit).toContain(`\nExecStart=/usr/bin/node ${option} `);
  });

  it('says the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(CONTEXT, 'package.json'), 'utf8')) as { version: string };
    expect(textOf(last, 'LABEL')).toContain(`org.opencontainers.image.version="${version}"`);
  });
});

function image(config: string | undefined, environment: Record<string, string>): Image {
  const data = mkdtempSync(join(folder, 'data-'));
  const links = /ln -s (\S+) (\S+)/.exec(textOf(last, 'RUN') ?? '');
  return {
    files: [
      ...copiedBy(build, CONTEXT),
      ...productionPackages(CONTEXT).map((path) => [join(CONTEXT, path), `/hygie/${path}`] as const),
      ...(config === undefined ? [] : [[config, '/config'] as const]),
    ],
    data: [data, textOf(last, 'VOLUME') ?? ''],
    links: links ? [[links[1] ?? '', links[2] ?? '']] : [],
    environment: { ...environmentOf(last), ...environment },
    user: textOf(last, 'USER') ?? '',
    folder: textOf(last, 'WORKDIR') ?? '',
  };
}

function configuration(service: string): string {
  const config = mkdtempSync(join(folder, 'config-'));
  writeFileSync(join(config, 'service.yaml'), service);
  writeFileSync(join(config, 'clients.yaml'), 'clients: []\n');
  return config;
}

(hasSandbox() ? describe : describe.skip)('the image on a read-only root (needs bubblewrap)', () => {
  it('without a configuration it ends with the remedy', async () => {
    const { ended, output } = contain(image(undefined, { HYGIE_ISSUER: 'https://connect.example.org' }), command);
    expect(await ended).toBe(1);
    expect(output()).toMatch(/\/config\n.*is not there\.\n.*Remedy: .*mount it there: -v \.\/config:\/config:ro/s);
  });

  it(
    'it serves at HYGIE_PORT under an issuer with a path, the health check says so, and SIGTERM ends it with 0',
    async () => {
      const port = String(await freePort());
      const place = image(configuration('listen: { port: 9, drain: 0s }\nproxies: 1\n'), {
        HYGIE_ISSUER: 'https://connect.example.org/connect',
        HYGIE_PORT: port,
        HYGIE_PROCESSES: '2',
      });
      const service = contain(place, command);
      try {
        const well = contain(place, [...healthCheck, '--wait', '30']);
        expect([await well.ended, well.output()]).toEqual([0, '{"status":"ok"}\n']);
        await service.signal('SIGTERM');
        expect([await service.ended, service.output()]).toEqual([0, expect.stringContaining('"msg":"stopped"')]);
      } finally {
        service.child.kill('SIGKILL');
      }
    },
    THREE_STARTS,
  );
});
