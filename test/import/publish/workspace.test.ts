// Names of snapshots: the registry and the remedies that list them rely on their order.

import { describe, expect, it } from '@jest/globals';
import { snapshotName } from '#import/publish/workspace.ts';

describe('the name of a snapshot', () => {
  it('sorts by time, within one second too', () => {
    const times = Array.from({ length: 200 }, (_, at) => new Date(Date.UTC(2026, 10, 21, 2, 45, 0) + at * 7));
    const names = times.map(snapshotName);
    expect([...names].sort()).toEqual(names);
    expect(names[1]).toMatch(/^20261121T024500007Z-[0-9a-f]{4}$/);
  });
});
