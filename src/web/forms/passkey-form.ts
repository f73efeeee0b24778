// The form that posts the response of a passkey, for the sign-in and the account pages. The script `passkey` shows the form if the browser
// supports passkeys, asks the authenticator, and posts the response. Without the script, the form stays hidden.

import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import { csrfField } from './csrf.ts';
import { type FormButton, type PostedForm, readForm } from './form.ts';

/** Name of the hidden field with the response, as JSON. */
export const PASSKEY_FIELD = 'passkey';

/**
 * The options of a sign-in (WebAuthn section 5.5) as JSON. Without `allow`, the authenticator offers every passkey that it has for the
 * site.
 */
export interface PasskeyRequest {
  challenge: string;
  relyingPartyId: string;
  allow?: readonly PasskeyDescriptor[];
}

interface PasskeyDescriptor {
  credentialId: string;
  transports: readonly string[];
}

interface PasskeyForm {
  /** Path to which the form is posted. */
  action: string;
  token: string;
  button: FormButton;
  /** Text that is shown and read aloud if the authenticator already has a passkey of the account. */
  exists?: string;
}

/** Renders the form of a sign-in. With `autofill`, the browser also offers passkeys in the login field. */
export function passkeyRequestForm(form: PasskeyForm & { request: PasskeyRequest; autofill?: boolean }): Html {
  const { challenge, relyingPartyId, allow = [] } = form.request;
  const options = {
    challenge,
    rpId: relyingPartyId,
    userVerification: 'required',
    allowCredentials: allow.map(descriptorOf),
  };
  return formOf(form, form.autofill ? 'autofill' : 'get', options);
}

/** Renders the form for a new passkey. `options` have the form of WebAuthn section 5.4, in JSON. */
export function passkeyCreationForm(form: PasskeyForm & { options: object }): Html {
  return formOf(form, 'create', form.options);
}

/** Returns the descriptor with which a request or a registration names an existing passkey. */
export function descriptorOf({ credentialId, transports }: PasskeyDescriptor) {
  return { type: 'public-key', id: credentialId, transports };
}

function formOf({ action, token, button, exists }: PasskeyForm, kind: string, options: object): Html {
  return html`<form class="passkey" method="post" action="${action}" data-passkey="${kind}" data-options="${JSON.stringify(options)}" hidden>
${csrfField(token)}
<input type="hidden" name="${PASSKEY_FIELD}">
${exists !== undefined && html`<p class="field-problem" role="alert" data-exists="${exists}"></p>`}
<button class="wide passkey-button${button.quiet && ' quiet'}" id="${button.id}" type="submit">${button.label}</button>
</form>`;
}

/**
 * Renders a caution about adding a first passkey, for a person with a password. It says how the passkey changes their sign-in. Then it
 * lists how they can sign in where they cannot use the passkey, with the easiest way first.
 */
export function firstPasskeyCaution(language: Language): Html {
  const { addSecondStep, elsewhere, elsewhereList } = messagesIn(language).passkeys;
  return html`<div class="caution"><p><strong>${addSecondStep}</strong> ${elsewhere}</p>
<ul class="bullets">${elsewhereList.map((way) => html`<li>${way}</li>`)}</ul></div>`;
}

/** Renders a text for browsers without passkeys. The script hides the text when it shows the form. */
export function withoutPasskey(text: string): Html {
  return html`<p class="field-help" data-without-passkey>${text}</p>`;
}

/**
 * Reads the response of the passkey from a posted form. `stale` is true if the form has none of the tokens of its page. Throws `UnusableForm` like
 * `readForm`.
 */
export function readPasskey(form: PostedForm): { text: string; stale: boolean } {
  const { fields, stale } = readForm(form, [PASSKEY_FIELD]);
  return { text: fields.passkey ?? '', stale };
}
