// Without a click; the button is there for browsers without scripts.
document.getElementById("answer").submit();
