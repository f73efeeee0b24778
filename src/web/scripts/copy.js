// Copies the text of a button, and says so beside it. Browsers let scripts copy only on a secure connection.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.parentElement.querySelector('[role=status]').textContent = button.dataset.done;
  });
  button.hidden = !navigator.clipboard;
}
