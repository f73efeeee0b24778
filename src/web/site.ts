// Facts about the service for every page: name, addresses and assets.

import type { Settings } from '#config/settings.ts';
import { basePath } from '#shared/base-path.ts';
import { present } from '#shared/present.ts';
import { type Assets, loadAssets } from './assets.ts';
import type { Language } from './language.ts';

/** Path, below the issuer, of the page that explains a sandbox. */
export const SANDBOX_PATH = '/sandbox';

/** Path of the page that shows mails in development. There, no mail is really sent. */
export const OUTBOX_PATH = '/outbox';

export interface Site {
  name: string;
  /** Public host with its port, which people compare with their address bar. */
  host: string;
  /** Origin of the issuer, in the form of the Origin header. */
  origin: string;
  /** Path of the issuer, with which every link begins. It is usually empty. */
  base: string;
  secure: boolean;
  supportUrl?: string;
  privacyUrl?: string;
  /**
   * True if the service can send mails, or, in development, shows them on the outbox page. If it is false, pages name the people to ask
   * instead of offering a mail.
   */
  mailAvailable: boolean;
  /** A sentence that names the people to ask, in each language. */
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

/**
 * Makes the facts about the service, once at the start, and reads the assets from the disk. `people` are used only in development and in a
 * sandbox.
 */
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
