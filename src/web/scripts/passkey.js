(() => {
  // Asks an authenticator for a passkey or for a new one, and posts the answer with the form.
  const form = document.querySelector('form[data-passkey]');
  if (!form || !window.PublicKeyCredential || !navigator.credentials) return;
  const kind = form.dataset.passkey;
  const button = form.querySelector('button');
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0));
  const text = (buffer) =>
    buffer &&
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  const named = (list) => list.map((one) => ({ ...one, id: bytes(one.id) }));
  const publicKey = JSON.parse(form.dataset.options);
  publicKey.challenge = bytes(publicKey.challenge);
  if (publicKey.user) publicKey.user.id = bytes(publicKey.user.id);
  if (publicKey.allowCredentials) publicKey.allowCredentials = named(publicKey.allowCredentials);
  if (publicKey.excludeCredentials) publicKey.excludeCredentials = named(publicKey.excludeCredentials);

  const authenticator = document.querySelector('[name=authenticator]');
  PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable?.().then((available) => {
    if (authenticator && available) authenticator.value = 'yes';
  });

  const toPlainObject = ({ id, type, response }) => {
    const answer = { clientDataJSON: text(response.clientDataJSON) };
    for (const part of ['authenticatorData', 'signature', 'userHandle', 'attestationObject']) {
      if (response[part]) answer[part] = text(response[part]);
    }
    if (kind === 'create') answer.transports = response.getTransports?.() ?? [];
    return { id, rawId: id, type, response: answer };
  };

  let asking = new AbortController();
  const ask = async (mediation) => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      const credential = await (kind === 'create'
        ? navigator.credentials.create({ publicKey, signal })
        : navigator.credentials.get({ publicKey, signal, ...(mediation && { mediation }) }));
      form.elements.passkey.value = JSON.stringify(toPlainObject(credential));
      form.submit();
      // If the answer is slow, a second press would replace the passkey on the device with one that the service refuses.
      button.disabled = kind === 'create';
    } catch (error) {
      // A closed browser window needs no message, because the person closed it on purpose. The browser then offers passkeys in the field
      // again, unless the closed window was that offer.
      const exists = form.querySelector('[data-exists]');
      if (exists && error.name === 'InvalidStateError') exists.textContent = exists.dataset.exists;
      if (!signal.aborted && !mediation) offer();
    }
  };
  const offer = async () => {
    if (kind === 'autofill' && (await PublicKeyCredential.isConditionalMediationAvailable?.())) ask('conditional');
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    ask();
  });
  // A page from the browser's history is as it was left.
  window.addEventListener('pageshow', () => {
    button.disabled = false;
  });
  form.hidden = false;
  for (const other of document.querySelectorAll('[data-without-passkey]')) other.hidden = true;
  offer();
})();
