// Prints the recovery codes, or saves them as a text file.
{
  const print = document.getElementById('print-codes');
  const download = document.getElementById('download-codes');
  print.addEventListener('click', () => window.print());
  download.addEventListener('click', () => {
    const codes = [...document.querySelectorAll('#recovery-codes code')].map((code) => code.textContent);
    const text = [...download.dataset.heading.split('\n'), '', ...codes, ''].join('\r\n');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
    link.download = download.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  });
  print.hidden = false;
  download.hidden = false;
}
