// What settings that are not valid as a whole say of the files that `check` looks at, so that it names the faults of these, too.

import { resolve } from 'node:path';
import type { z } from 'zod';
import type { Settings } from '#config/settings.ts';
import { directory } from './directory-schema.ts';
import { isGroup } from './environment.ts';
import { tls } from './listen-schema.ts';
import { serviceSchema } from './service-schema.ts';

type Place = Pick<Settings, 'mode' | 'configFolder' | 'dataFolder'>;

/** Valid settings, or a part of them: what is faulty, or cannot be read, is absent. */
export interface KnownSettings
  extends Pick<Settings, 'configFolder' | 'dataFolder'>,
    Partial<Pick<Settings, 'issuer' | 'proxies'>> {
  listen: Pick<Settings['listen'], 'tls'>;
  directory: Partial<Pick<Settings['directory'], 'url' | 'watch'>>;
}

/** `value`: what was validated, variables among it; each key is judged alone. Without the file, a key that is absent is not its default. */
export function knownSettings(
  value: unknown,
  { mode, configFolder, dataFolder }: Place,
  fileIsRead: boolean,
): KnownSettings {
  const keys = groupOf(value);
  const ofDirectory = groupOf(keys['directory']);
  const { issuer, proxies } = serviceSchema(mode).shape;
  const { url, watch } = directory(mode === 'production');
  const files = known(tls, groupOf(keys['listen'])['tls']);
  const folder = known(watch, ofDirectory['watch']);
  return {
    configFolder,
    dataFolder,
    listen: { ...(files && { tls: tlsFiles(configFolder, files) }) },
    directory: {
      ...optional('url', known(url, ofDirectory['url'])),
      ...optional('watch', folder && resolve(configFolder, folder)),
    },
    ...optional('issuer', known(issuer, keys['issuer'])),
    ...optional('proxies', fileIsRead ? known(proxies, keys['proxies']) : undefined),
  };
}

/** The paths of `listen.tls`, which are relative to the configuration folder. */
export function tlsFiles(configFolder: string, { certificate, key }: NonNullable<Settings['listen']['tls']>) {
  return { certificate: resolve(configFolder, certificate), key: resolve(configFolder, key) };
}

function known<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | undefined {
  return schema.safeParse(value).data;
}

function groupOf(value: unknown): Record<string, unknown> {
  return isGroup(value) ? value : {};
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}
