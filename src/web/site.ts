// Facts about the service for every page: name, addresses and assets.

import type { Settings } from '#config/settings.ts';
import { basePath } from '#shared/base-path.ts';
import { present } from '#shared/present.ts';
import { type Assets, loadAssets } from './assets.ts';
import type { Language } from './language.ts';

/** The page of a sandbox, below the issuer. */
export const SANDBOX_PATH = '/sandbox';

/** Path of the page that shows mails in development, where they are not really sent. */
export const OUTBOX_PATH = '/outbox';

export interface Site {
  name: string;
  /** Public host with its port. People compare it with their address bar. */
  host: string;
  /** Origin of the issuer, in the form of the Origin header. */
  origin: string;
  /** Path of the issuer, which every link begins with. It is usually empty. */
  base: string;
  secure: boolean;
  supportUrl?: string;
  privacyUrl?: string;
  /** True if mails reach people, or the outbox page in development. Otherwise pages name the people to ask. */
  mailAvailable: boolean;
  /** Names the people to ask, in each language. */
  helpText?: Record<Language, string>;
  /** True if the outbox page shows mails. */
  outbox: boolean;
  sandbox: boolean;
  /** The fictional people of a sandbox or of development, with the passwords that pages show. */
  people: readonly FictionalPerson[];
  assets: Assets;
}

interface FictionalPerson {
  login: string;
  password: string;
  name: string;
  note: Record<Language, string>;
}

/** Makes the site once at the start, and reads the assets from disk. Pages show `people` only in development and in a sandbox. */
export function createSite(
  settings: Pick<Settings, 'issuer'> &
    Partial<Pick<Settings, 'sandbox' | 'mode' | 'mail'>> & { branding: Omit<Settings['branding'], 'timeZone'> },
  people: readonly FictionalPerson[] = [],
): Site {
  const { issuer, branding, sandbox = false, mode, mail } = settings;
  const { host, origin, protocol } = new URL(issuer);
  const { name, supportUrl, privacyUrl, helpText } = branding;
  return {
    name,
    host,
    origin,
    base: basePath(issuer),
    secure: protocol === 'https:',
    ...present({ supportUrl, privacyUrl, helpText }),
    mailAvailable: mail !== undefined || mode === 'development',
    outbox: mail === undefined && mode === 'development',
    sandbox,
    people: sandbox || mode === 'development' ? people : [],
    assets: loadAssets(branding.colour),
  };
}
