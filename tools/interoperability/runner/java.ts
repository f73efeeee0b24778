// Drivers in Java: one Maven project for each framework, and one for libraries. `entry` is the project and its main class.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, cached, copySources, faultOf, missingOf, NOT_FETCHED, sources } from './cache.ts';
import type { Driver, Toolchain } from './driver.ts';

const CLASS_PATH = 'target/class-path.txt';
/** Quarkus' own layout of a built application. */
const QUARKUS = 'target/quarkus-app/quarkus-run.jar';
const STORE_PASSWORD = 'changeit';
const UNFETCHED = /Could not (?:transfer|resolve|find)|Non-resolvable|was not found in/;

const projectOf = ({ entry }: Driver) => entry.split('/')[0] ?? '';
const mainOf = ({ entry }: Driver) => entry.split('/')[1] ?? '';

/** The build of each project, which is made once in a run. */
const packaged = new Map<string, Promise<string | undefined>>();

async function packageProject(project: string): Promise<string | undefined> {
  const folder = await copySources('java');
  const built = await build('mvn', ['--quiet', '--batch-mode', 'package'], join(folder, project));
  if (built.ok) return undefined;
  if (UNFETCHED.test(built.output)) return NOT_FETCHED;
  throw faultOf(`mvn package of ${project}`, built);
}

export const java: Toolchain = {
  title: 'Java',
  missing: () => missingOf('java', 'keytool', 'mvn'),
  prepare: (driver) => {
    const project = projectOf(driver);
    const known = packaged.get(project) ?? packageProject(project);
    packaged.set(project, known);
    return known;
  },
  version: (driver) => {
    const project = readFileSync(join(sources('java'), projectOf(driver), 'pom.xml'), 'utf8');
    const version = new RegExp(`<${driver.package}\\.version>(.+)</`).exec(project)?.[1];
    if (!version) throw new Error(`${projectOf(driver)}/pom.xml has no ${driver.package}.version`);
    return version;
  },
  command: (driver) => {
    const folder = cached('java', projectOf(driver));
    const application = join(folder, QUARKUS);
    if (existsSync(application)) return { command: 'java', args: ['-jar', application], folder };
    const classes = `target/classes:${readFileSync(join(folder, CLASS_PATH), 'utf8').trim()}`;
    return { command: 'java', args: ['-cp', classes, mainOf(driver)], folder };
  },
  trust: async ({ folder, certificate }) => {
    const store = join(folder, 'authority.p12');
    if (!existsSync(store)) {
      const into = ['-keystore', store, '-storetype', 'PKCS12', '-storepass', STORE_PASSWORD];
      await promisify(execFile)('keytool', [
        '-importcert',
        '-noprompt',
        '-alias',
        'run',
        '-file',
        certificate,
        ...into,
      ]);
    }
    const trusted = `-Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=${STORE_PASSWORD}`;
    return { JAVA_TOOL_OPTIONS: `${trusted} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC` };
  },
};
