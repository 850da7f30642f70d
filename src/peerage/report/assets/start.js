const tables = [...document.querySelectorAll("[data-tools]")].map((box) => new Table(box));
document.querySelectorAll("[data-rove]").forEach(rove);
document.documentElement.classList.add("script");
addEventListener("beforeprint", () => tables.forEach((table) => { table.page = 0; table.draw(2000); }));
addEventListener("afterprint", () => tables.forEach((table) => table.draw()));
