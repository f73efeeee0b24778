// Stops the PostgreSQL of the test run, and removes its files.

export default async function stop(): Promise<void> {
  await globalThis.hygiePostgres?.stop();
}
