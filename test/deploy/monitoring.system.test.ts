// deploy/prometheus.yaml, alerts.yaml and grafana-dashboard.json: promtool takes them, every alert fires when it should and none when it
// should not, and the handbook says what to do for each. That they name what is really exported: test/server/metrics/metrics.test.ts.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { Settings } from '#config/settings.ts';
import { METRICS_PATH } from '#server/metrics/metrics-server.ts';
import { scrape } from '#support/metrics/scrape.ts';
import { startService } from '#support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function run(...args: string[]): string {
  return execFileSync('promtool', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
}

const isThere = (() => {
  try {
    run('--version');
    return true;
  } catch {
    return false;
  }
})();

interface Rule {
  alert: string;
  for?: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}
const rules = (parse(read('deploy/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const names = rules.map(({ alert }) => alert);

(isThere ? describe : describe.skip)('promtool (skipped where Debian has no prometheus)', () => {
  it('check rules, and check config with them', () => {
    expect(run('check', 'rules', 'deploy/alerts.yaml')).toContain(`${names.length} rules found`);
    expect(run('check', 'config', 'deploy/prometheus.yaml')).toContain('is valid');
  });

  it('test rules: every alert fires where everything is wrong, and none where nothing is', () => {
    expect(run('test', 'rules', 'test/deploy/alert-cases.yaml')).toContain('SUCCESS');
  });

  it('check metrics has nothing to say about what a service exports', async () => {
    const adjust = (settings: Settings): Settings => ({
      ...settings,
      metrics: { host: '127.0.0.1', token: 'opens-nothing' },
    });
    const service = await startService({ adjust });
    await fetch(`${service.issuer}/health/ready`);
    const { text } = await scrape(`${service.issuer}${METRICS_PATH}`, 'opens-nothing');
    await service.stop();
    expect(execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('');
  });
});

describe('deploy/alerts.yaml', () => {
  it('the cases have every alert', () => {
    const cases = [...read('test/deploy/alert-cases.yaml').matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
    expect(cases.sort()).toEqual([...names].sort());
  });

  it('each says how bad it is, what happens, what to do, and where the handbook goes on', () => {
    const page = read('docs/operating/monitoring.md');
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook', 'summary']);
      expect(annotations['runbook']).toBe(`docs/operating/monitoring.md#${alert.toLowerCase()}`);
      expect(page).toContain(`\n### ${alert}\n`);
    }
    const sections = [...page.matchAll(/^### (Hygie\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(expect.arrayContaining(names));
    expect(sections).toHaveLength(names.length);
  });
});

it('deploy/grafana-dashboard.json can be imported: every panel asks the data source that is chosen, and none overlaps', () => {
  const dashboard = JSON.parse(read('deploy/grafana-dashboard.json'));
  expect(dashboard.templating.list.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['instance', 'query'],
  ]);
  const taken = new Set<string>();
  const ids = new Set<number>();
  for (const { id, type, datasource, targets, gridPos } of dashboard.panels) {
    ids.add(id);
    if (type !== 'row')
      for (const one of [{ datasource }, ...targets]) expect(one.datasource.uid).toMatch(/^\$\{datasource\}$/);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(taken.has(`${x} ${y}`)).toBe(false);
        taken.add(`${x} ${y}`);
        expect(x).toBeLessThan(24);
      }
  }
  expect(ids.size).toBe(dashboard.panels.length);
});

it('deploy/prometheus.yaml scrapes the path where the metrics are, as the job of dashboard and alerts', () => {
  const { scrape_configs } = parse(read('deploy/prometheus.yaml')) as {
    scrape_configs: { job_name: string; metrics_path?: string }[];
  };
  expect(scrape_configs.map(({ job_name, metrics_path = '/metrics' }) => [job_name, metrics_path])).toEqual([
    ['hygie', METRICS_PATH],
  ]);
});
