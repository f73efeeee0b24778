// Copies what a button holds, and says so beside it; on a plain connection browsers let nobody copy.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.parentElement.querySelector('[role=status]').textContent = button.dataset.done;
  });
  button.hidden = !navigator.clipboard;
}
