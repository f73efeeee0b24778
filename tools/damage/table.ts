// The table of trials: how each damage was seen at a renewal and at a first import, and what was said of undamaged editions.

import type { Trial, Undamaged } from '#support/damage/trials.ts';

/** One row for each damage and occasion, of all seeds and populations together. */
export function tableOf(trials: readonly Trial[]): string[] {
  const groups = Map.groupBy(trials, ({ damages, occasion }) => `${damages.join(' + ')} | ${occasion}`);
  const rows = [...groups].map(([key, group]) => {
    const names = (of: (trial: Trial) => readonly string[]) => [...new Set(group.flatMap(of))].sort().join(', ');
    const refused = names(({ outcome, guards }) => (outcome === 'refused' ? guards : []));
    const warned = names(({ outcome, warned }) => (outcome === 'warned' ? warned : []));
    const count = (outcome: Trial['outcome']) => group.filter((trial) => trial.outcome === outcome).length;
    const others = (['silent', 'same', 'crashed', 'changed'] as const)
      .filter((outcome) => count(outcome) > 0)
      .map((outcome) => `${outcome === 'same' ? 'read as undamaged' : outcome} ${count(outcome)} of ${group.length}`);
    const mark = group.every(({ isExpected }) => isExpected) ? '' : '!! ';
    return `${mark}${key} | ${refused} | ${warned} | ${others.join(', ')}`;
  });
  return ['damage | occasion | refused by | warned by | silent', ...rows];
}

export function undamagedRows(undamaged: readonly Undamaged[]): string[] {
  return undamaged.map(({ occasion, form, refusals, warnings }) => {
    const refused = refusals.map(({ name, said }) => `${name}: ${said}`).join('; ');
    return `undamaged${form ? `, ${form}` : ''} | ${occasion} | ${refused} | ${warnings.join('; ')} |`;
  });
}

export function totalsOf(trials: readonly Trial[], undamaged: readonly Undamaged[]): string {
  const of = (occasion: Trial['occasion']) => {
    const some = trials.filter((trial) => trial.occasion === occasion);
    const count = (outcome: Trial['outcome']) => some.filter((trial) => trial.outcome === outcome).length;
    return (
      `${occasion}s: ${some.length} trials, ${count('refused')} refused, ${count('warned')} warned, ${count('same')} read as undamaged, ` +
      `${count('silent')} silent, ${count('crashed')} crashed, ${count('changed')} changed the directory`
    );
  };
  const unexpected = trials.filter(({ isExpected }) => !isExpected).length;
  const alarms = undamaged.filter(({ refusals }) => refusals.length > 0).length;
  return [
    of('renewal'),
    of('first import'),
    `${unexpected} not as expected; ${alarms} of ${undamaged.length} undamaged editions refused`,
  ].join('\n');
}
