// Registration is done: the platform's page, which opened this one, closes it.
const around = window.parent !== window ? window.parent : window.opener;
const { origin } = document.getElementById("done").dataset;
around?.postMessage({ subject: "org.imsglobal.lti.close" }, origin);
