// What every page knows about the service: its name, addresses and assets.

import type { Settings } from '../config/settings.ts';
import { type Assets, loadAssets } from './assets.ts';

export interface Site {
  name: string;
  /** Public host with its port, for people to compare with their address bar. */
  host: string;
  /** Origin of the issuer, as browsers write it in the Origin header. */
  origin: string;
  /** Path of the issuer, in front of every link; empty for most. */
  base: string;
  secure: boolean;
  supportUrl?: string;
  privacyUrl?: string;
  assets: Assets;
}

/** Made once at start; reads the assets from disk. */
export function createSite({ issuer, branding }: Pick<Settings, 'issuer' | 'branding'>): Site {
  const { host, origin, pathname, protocol } = new URL(issuer);
  const { name, supportUrl, privacyUrl } = branding;
  return {
    name,
    host,
    origin,
    base: pathname.replace(/\/+$/, ''),
    secure: protocol === 'https:',
    ...(supportUrl !== undefined && { supportUrl }),
    ...(privacyUrl !== undefined && { privacyUrl }),
    assets: loadAssets(branding.colour),
  };
}
