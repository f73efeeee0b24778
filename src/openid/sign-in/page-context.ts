// The context of every sign-in page: the request, its interaction (`describe-interaction.ts`), and its language.

import type { Request, RequestHandler, Response } from 'express';
import { SIGN_IN_PATH } from '#openid/routes.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import { digest } from '#shared/crypto/digest.ts';
import { deviceDetail } from '#shared/device.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { SeenDevices } from '#store/accounts/seen-devices.ts';
import type { CsrfTokens } from '#web/forms/csrf.ts';
import { type FormRequest, formRequest } from '#web/forms/form.ts';
import type { ChangePassword } from '#web/forms/new-password.ts';
import type { CheckCode } from '#web/forms/second-factor.ts';
import type { LabelInDirectory } from '#web/forms/workspace-list.ts';
import { languageOf } from '#web/language.ts';
import type { Site } from '#web/site.ts';
import type { Arrivals } from './arrival.ts';
import { type InteractionDetails, InteractionExpired } from './describe-interaction.ts';
import type { DeviceCookies } from './device-cookies.ts';
import type { Interactions } from './interactions.ts';
import type { KeptChoices } from './kept-choices.ts';
import type { Authenticate, StillRight } from './login/authenticate.ts';
import type { SignInPasskeys } from './passkey/passkey-check.ts';
import type { Throttle } from './throttle.ts';

export interface SignInOptions {
  site: Site;
  interactions: Interactions;
  authenticate: Authenticate;
  stillRight: StillRight;
  secondFactors: Pick<SecondFactors, 'kinds' | 'propose' | 'secretOf' | 'setUp'>;
  passkeys?: SignInPasskeys | undefined;
  checkCode: CheckCode;
  changePassword: ChangePassword;
  throttle: Pick<Throttle, 'begin'>;
  devices: DeviceCookies;
  kept: KeptChoices;
  arrivals: Pick<Arrivals, 'take'>;
  seenDevices: SeenDevices;
  /** Makes the form tokens of the interaction with this uid. */
  csrfTokens: (uid: string) => CsrfTokens;
  /** express-session, with its cookie on the path `/interaction`. There is a session only once a sign-in has reached its second step. */
  session: RequestHandler;
  labelInDirectory: LabelInDirectory;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  audit: AuditTrail;
  /** Returns the id of the account with this login, whatever its state is. Used for the audit trail only. */
  accountOf: (login: string) => Promise<string | undefined>;
}

export interface SignInContext extends SignInOptions, FormRequest {
  interaction: InteractionDetails;
  /**
   * Addresses of the client, for the content security policy: the forms of the page may lead to their origins. All registered addresses are
   * among them, because Chromium applies the policy even to later redirects by the client itself.
   */
  formsLeadTo: readonly string[];
}

/** Makes the context of a request. Throws `InteractionExpired` if the sign-in is over, or if the page belongs to another sign-in. */
export async function signInContext(options: SignInOptions, req: Request, res: Response): Promise<SignInContext> {
  const interaction = await options.interactions.details(req, res);
  if (interaction.uid !== req.params['uid']) throw new InteractionExpired();
  const path = pathOf(options.site, req);
  const language = languageOf(req, interaction.account?.language ?? interaction.uiLocales);
  const tokens = options.csrfTokens(interaction.uid);
  const formsLeadTo = [interaction.callback, ...(interaction.addresses ?? [])];
  return { ...options, ...formRequest({ req, res, path, tokens, language }), interaction, formsLeadTo };
}

/** Returns facts about a step for the audit trail: the device, and an id that is the same for all steps of one sign-in. */
export function stepDetail({ req, interaction }: Pick<SignInContext, 'req' | 'interaction'>) {
  return { ...deviceDetail(req), signIn: digest(`sign-in ${interaction.uid}`).slice(0, 16) };
}

/**
 * Returns the path of the sign-in page, for the address of the page or of any of its forms. It does not use the route parameters, because
 * error middleware has none.
 */
export function pathOf(site: Site, req: Request): string {
  return `${site.base}${SIGN_IN_PATH}/${req.path.split('/')[1] ?? ''}`;
}
