// Shows and hides a typed password. The field becomes a password field again before the form is sent, so that browsers and password
// managers recognize it.
for (const button of document.querySelectorAll('.show-password')) {
  const input = document.getElementById(button.getAttribute('aria-controls'));
  const show = (shown) => {
    input.type = shown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(shown));
  };
  button.addEventListener('click', () => show(input.type === 'password'));
  input.form.addEventListener('submit', () => show(false));
  // The browser may keep the page as it was left, so the password is hidden then.
  addEventListener('pagehide', () => show(false));
  button.hidden = false;
}
