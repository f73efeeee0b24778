// Facts about the service for every page: its name, addresses and assets.

import type { Settings } from '#config/settings.ts';
import { basePath } from '#shared/base-path.ts';
import { present } from '#shared/present.ts';
import { type Assets, loadAssets } from './assets.ts';
import type { Language } from './language.ts';

/** The page of a sandbox, below the issuer. */
export const SANDBOX_PATH = '/sandbox';

/** The page of mails that would have been sent, in development. */
export const OUTBOX_PATH = '/outbox';

export interface Site {
  name: string;
  /** Public host with its port, for people to compare with their address bar. */
  host: string;
  /** Origin of the issuer, as browsers write it in the Origin header. */
  origin: string;
  /** Path of the issuer, a prefix of every link; empty for most. */
  base: string;
  secure: boolean;
  supportUrl?: string;
  privacyUrl?: string;
  /** True if mails reach people, or the outbox page in development. Otherwise pages name people to ask. */
  mailAvailable: boolean;
  /** Whom to ask, in each language. */
  helpText?: Record<Language, string>;
  /** True if mails are shown on the outbox page. */
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

/** Makes the site once at start, and reads the assets from disk. `people` are shown in development and in a sandbox only. */
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
