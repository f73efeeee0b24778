// What an expression of Prometheus names: metrics with the labels that it selects, and the labels by which it groups.

export interface Named {
  metrics: { name: string; labels: [name: string, values: string[]][] }[];
  /** Of `by`, `on` and the like. */
  groups: string[];
}

export function namesIn(expression: string): Named {
  const groups: string[] = [];
  const without = expression.replace(
    /\b(by|on|ignoring|without|group_left)\s*\(([^)]*)\)/g,
    (_whole, _word, list: string) => {
      groups.push(...list.split(',').map((label) => label.trim()));
      return '';
    },
  );
  const metrics = [...without.matchAll(/\b((?:hygie|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name = '', list = '']) => ({
      name,
      labels: [...list.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = '', values = '']): [string, string[]] => [label, values.split('|')],
      ),
    }),
  );
  return { metrics, groups: groups.filter(Boolean) };
}
