// Jest's order of the test files, by the times of the last run, with the longest ones first where there was none, as in a fresh clone:
// what begins last keeps one processor busy while the others wait.

import { createRequire } from 'node:module';
import type testSequencer from '@jest/test-sequencer';

// Its types are those of CommonJS alone, where this is what the module exports.
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof testSequencer;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Those of half a minute, and those of ten seconds: real processes and browsers, for the most part. */
const LONGEST = [
  /\/docs\/handbook/,
  /\/(life-cycle|hygiene|process|publish)\/|\/accessibility\.|\/directory-watch\.|\/damaged-editions\.|\/journeys\//,
];

const rank = ({ path }: Tests[number]) => {
  const at = LONGEST.findIndex((pattern) => pattern.test(path));
  return at < 0 ? LONGEST.length : at;
};

export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    return [...(await super.sort(tests))].sort((one, other) => rank(one) - rank(other));
  }
}
