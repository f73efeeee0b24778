// `npm run -s licences`: prints each production package with version and licence; `-- --dev` those of development, too. Ends with 1
// where a licence is not allowed (`allowed-licences.ts`).

import '#support/script-help.ts';
import { parseArgs } from 'node:util';
import { handleOutputErrors } from '#cli/support/output-errors.ts';
import { isAllowed } from './allowed-licences.ts';
import { lockedPackages } from './locked-packages.ts';

handleOutputErrors();

const { dev: withDevelopment } = parseArgs({ options: { dev: { type: 'boolean' } } }).values;
const packages = lockedPackages().filter(({ dev }) => withDevelopment || !dev);
// The package of another platform cannot be read here; it is a binary of a package that can.
const elsewhere = ({ dev, optional, licence }: (typeof packages)[number]) => dev && optional && licence === undefined;
const refused = packages.filter((one) => !isAllowed(one) && !elsewhere(one));

for (const { name, version, licence, dev } of packages) {
  process.stdout.write(`${name}@${version}\t${licence ?? '(not installed here)'}${dev ? '\tdevelopment' : ''}\n`);
}
const count = `${packages.length} packages, ${refused.length} with a licence that is not allowed`;
process.stderr.write(
  `${[count, ...refused.map(({ name, licence }) => `  ${name}: ${licence ?? 'none'}`)].join('\n')}\n`,
);
process.exitCode = refused.length > 0 ? 1 : 0;
