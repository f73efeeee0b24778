// Shows and hides a typed password. The field is a password again before it is sent: browsers and password managers take it as such.
for (const button of document.querySelectorAll('.show-password')) {
  const input = document.getElementById(button.getAttribute('aria-controls'));
  const show = (shown) => {
    input.type = shown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(shown));
  };
  button.addEventListener('click', () => show(input.type === 'password'));
  input.form.addEventListener('submit', () => show(false));
  // Of a page that the browser kept, as it was left.
  addEventListener('pagehide', () => show(false));
  button.hidden = false;
}
