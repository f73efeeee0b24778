// Copies the text of a button, and says so in the button. Without this script, or on a plain connection, no such button is visible.
for (const button of navigator.clipboard ? document.querySelectorAll('button[data-copy]') : []) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
    document.getElementById('copied').textContent = button.dataset.copied;
    setTimeout(() => {
      button.textContent = label;
      document.getElementById('copied').textContent = '';
    }, 3000);
  });
}
